# Trains and evaluates agents on the simulator, without a GPU:
#   docker build --tag sc2impala .
#   docker run --rm --volume "$PWD/runs:/home/user/runs" sc2impala train --logdir=runs/beacon
FROM python:3.11-slim

RUN useradd --create-home --uid 1000 user
ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1

# The pinned packages are a layer of their own, which a change of the sources does not rebuild.
COPY requirements.txt /tmp/requirements.txt
RUN pip install --no-deps --requirement /tmp/requirements.txt

COPY LICENSE README.md setup.py /tmp/sc2impala/
COPY sc2impala /tmp/sc2impala/sc2impala
RUN pip install --no-deps /tmp/sc2impala && rm -r /tmp/sc2impala

USER 1000
WORKDIR /home/user
# Compiled parts of the simulator.
ENV NUMBA_CACHE_DIR=/home/user/.cache/numba
ENTRYPOINT ["sc2impala"]
CMD ["--help"]

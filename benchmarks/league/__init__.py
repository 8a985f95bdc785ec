"""Compares the speed of this trainer with other trainers on the same work.

* `__main__`: the command;
* `environments`: a virtual environment for each peer, with pinned versions;
* `runner`: runs a peer, reads what it reports, measures memory and processor time;
* `tables`: table and picture of the results;
* `work`: sizes of the common work;
* `peers`: one program per peer, run inside its environment. They import neither TensorFlow nor
  the trainer, except for the trainer's own.
"""

"""APPO: asynchronous proximal policy optimisation, with CLEAR on replayed columns."""

"""Examples of other libraries on the environments of this package; run as modules."""

"""IMPALA (Espeholt et al. 2018) with CLEAR (Rolnick et al. 2018) on replayed columns."""

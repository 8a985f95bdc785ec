"""What becomes of an action: the codes of `action_result`, those of the game's ActionResult."""

OK = 0
NOT_SUPPORTED = 2
ERROR = 3
QUEUE_IS_FULL = 7

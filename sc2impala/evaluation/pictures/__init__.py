"""Pictures of a run: an animated episode and the learning curve.

They require neither TensorFlow nor a display: the first is drawn with Pillow, the second with
matplotlib's Agg canvas.
"""

from sc2impala.evaluation.episode_table import NoEpisode
from sc2impala.evaluation.pictures.episode_picture import EpisodePicture
from sc2impala.evaluation.pictures.learning_curve import save_learning_curve

__all__ = ['EpisodePicture', 'NoEpisode', 'save_learning_curve']

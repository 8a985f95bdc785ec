"""What a run leaves to look at: an animated episode, and the learning curve.

No TensorFlow, and no display: Pillow draws the one, matplotlib's own canvas the other.
"""

from sc2impala.runtime.pictures.episode_picture import EpisodePicture
from sc2impala.runtime.pictures.learning_curve import save_learning_curve

__all__ = ['EpisodePicture', 'save_learning_curve']

"""Trains and evaluates StarCraft II agents.

    python -m sc2impala.experiment --logdir=runs/beacon
    python -m sc2impala.experiment --logdir=runs/beacon --mode=evaluate --animation --curve

The first command trains on the built-in simulator until --total_environment_frames, or with
--backend=pysc2 on StarCraft II; give it again to go on with a run that was stopped. The second one
plays whole episodes with what was learned. TensorBoard shows the curves: tensorboard --logdir=runs.
Frames are game loops, 16 in a game second; an agent step lasts as many of them as its step
multiplier.

A setting that is not given comes from the run in the folder if there is one, else from the defaults
of the map (sc2impala/envs/maps.py), else from the general ones below.
"""

import argparse
import sys
from typing import Any, List, Optional

from sc2impala import envs
from sc2impala.envs import pysc2_backend
from sc2impala.runtime import config as config_lib
from sc2impala.runtime import defaults, evaluation, logdir, training
from sc2impala.runtime.errors import UserError

FLAGS = {
    'run': {
        'mode': 'train, or evaluate what the folder of a run holds',
        'logdir': 'folder of the run; runs/<map_name> if empty',
        'seed': 'the same seed gives the same games and the same initial weights',
        'deterministic': 'one thread, actor and learner in turns: the same seed gives the same '
        'losses, step by step; slower, needs --num_actors=1',
        'bfloat16': 'train with convolutions and matrix products in bfloat16, on processors that '
        'have it: faster and less exact; evaluations are always in float32',
    },
    'environment': {
        'backend': 'what runs the game: simulator; pysc2, which is StarCraft II and has defaults '
        'of its own: --num_actors=2 --num_envs=4 --num_eval_envs=4; or synthetic: random '
        'observations of the shapes of any map, to measure speed',
        'map_name': 'the mini-game: '
        + ', '.join(sorted(envs.MAP_NAMES))
        + '; on StarCraft II also a ladder map of PySC2, such as Simple64; --backend=synthetic '
        'has Frames as well, 72 x 96 pixels of three bytes and nine actions',
        'screen_size': 'pixels of the screen layers: 32, or width and height as 84x64',
        'minimap_size': 'pixels of the minimap layers',
        'functions': "names or ids of PySC2 functions, separated by commas, or 'all' 573",
        'fixed_arguments': 'PySC2 arguments that the agent does not choose, with their values, as '
        "queued=0,select_add=0, or 'none'",
        'screen_layers': "names of PySC2 screen layers, or 'all'",
        'minimap_layers': "names of PySC2 minimap layers, 'all' or 'none'",
        'vectors': 'observations that are no layers: player, single_select, multi_select, '
        'control_groups, score_cumulative, game_loop, action_result, alerts, build_queue, '
        "production_queue, feature_units; 'all' or 'none'",
        'fixed_step_mul': 'act every --step_mul loops; otherwise the agent chooses at each step',
        'step_mul': 'game loops per agent step when fixed, and for random and scripted players',
        'max_step_mul': 'the agent chooses from 1 to this many loops',
    },
    'StarCraft II (--backend=pysc2 only)': {
        'game_version': 'as 4.10; empty takes the latest that is installed',
        'disable_fog': 'see the whole map',
        'camera_width': 'world units across the screen',
        'max_episode_frames': 'cut episodes off after so many game loops; 0 leaves it to the map',
        'opponent': 'on a ladder map: ' + ', '.join(pysc2_backend.DIFFICULTIES),
        'opponent_race': 'on a ladder map: ' + ', '.join(pysc2_backend.RACES),
        'race': "the agent's, on a ladder map: the same",
        'relaunch_episodes': 'end a game process after so many episodes and start another one; 0 '
        'for never, but 1 on BuildMarines, whose restart leaves out exhausted mineral fields',
        'game_deadline_secs': 'a game that takes longer for a step is killed, and another one '
        'started; its episode does not count. To start it may take twice as long, at least 30 s',
        'replay_dir': 'folder for replays',
        'save_replay_episodes': 'save a replay of every so manyth episode of each game; 0 for none',
        'realtime': 'play at the speed of the game, to be watched; a single game only',
        'visualize': "show PySC2's picture of the game; needs a display, a single game only",
    },
    'agent': {
        'agent': 'atari_net, fully_conv or fully_conv_lstm, the three of the SC2LE paper, or '
        "impala_resnet, IMPALA's deep network with an LSTM",
    },
    'actors': {
        'num_actors': 'actors in this process, each in a thread of its own',
        'num_envs': 'games that each actor plays at once',
        'unroll_length': 'agent steps of a sequence',
        'queue_capacity': 'sequences that may wait for the learner; 0 chooses',
    },
    'learning': {
        'total_environment_frames': 'length of the training and of its schedules',
        'batch_size': 'sequences of an update, new and replayed; losses are summed over them',
        'learning_rate': 'of Adam, at the start',
        'final_learning_rate': 'at the end, linearly in between',
        'adam_beta1': 'decay of the first moment',
        'adam_beta2': 'decay of the second moment',
        'adam_epsilon': 'added to the root of the second moment',
        'clip_grad_norm': 'largest global norm of the gradient; 0 does not clip',
        'discounting': 'discount per agent step',
        'discounting_per_frame': 'make it discounting ** (step_mul / 8) instead, so that long '
        'steps gain nothing for free',
        'reward_scaling': 'factor on the rewards, before clipping',
        'reward_clipping': 'none, abs_one or soft_asymmetric',
        'baseline_cost': 'weight of the loss of the baseline',
        'entropy_cost': 'weight of the entropy of the policy',
        'final_entropy_cost': 'its weight at the end, linearly in between; -1 keeps it',
        'entropy_decay': 'the part of the training over which it gets there',
        'clip_advantage': 'learn from positive advantages only',
    },
    'replay (CLEAR)': {
        'replay_proportion': 'part of a batch that comes from the memory; 0 is plain IMPALA',
        'replay_buffer_size': 'sequences in the memory; the run prints how many MiB they take, and '
        'ends while it is young if that is too much',
        'replay_eviction': 'reservoir keeps a uniform sample of all experience, fifo the latest',
        'replay_compression': 'zstd keeps the same sequences, bit for bit, in less memory: an '
        'eighth at 64 pixels with all layers, half at 16 with few; none takes all of it at once',
        'policy_cloning_cost': 'weight of KL(behaviour || policy) on replayed sequences',
        'value_cloning_cost': 'weight of the squared change of the baseline on them',
    },
    'starting from another run': {
        'init_checkpoint': 'folder of a run, or a checkpoint, whose weights to start from',
        'num_critic_pretrain_frames': 'first train the baseline alone for so many frames, which '
        'are not part of --total_environment_frames',
        'critic_learning_rate': 'of that phase',
        'critic_pretrain_all_variables': 'train all variables that the baseline depends on, and so '
        'change the policy, instead of its own layers only',
    },
    'what is kept and shown': {
        'save_checkpoint_secs': 'seconds between checkpoints',
        'keep_checkpoints': 'how many of the latest to keep; older ones are deleted. 0 keeps all',
        'save_summaries_secs': 'seconds between summaries for TensorBoard; 0 for each update',
        'progress_secs': 'seconds between lines of progress',
    },
    'evaluation': {
        'policy': 'sampled or greedy actions of the agent, or random, or scripted',
        'num_episodes': 'how many episodes to play',
        'num_eval_envs': 'how many at a time',
        'animation': 'write an animated picture of the first episode, episode.gif',
        'curve': 'write the learning curve of the run, curve.png',
    },
}
"""Help of every flag, by group; types and general defaults are those of `Config`."""

EVALUATION_FLAGS = frozenset(
    ['mode', 'logdir', 'seed', 'deterministic']
    + ['replay_dir', 'save_replay_episodes', 'realtime', 'visualize']
    + list(FLAGS['evaluation'])
)
"""What an evaluation chooses anew. Backend and game, too, may be others than in the training."""


def make_parser() -> argparse.ArgumentParser:
    """One flag for each field of `Config`, absent from the result unless given."""
    parser = argparse.ArgumentParser(
        prog='python -m sc2impala.experiment',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    of_some_map = defaults.set_by_some_map()
    for title, flags in FLAGS.items():
        group = parser.add_argument_group(title)
        for name, text in flags.items():
            default = config_lib.Config._field_defaults[name]
            shown = f'{text} ({_default_text(name, default, of_some_map)})'
            if isinstance(default, bool):
                group.add_argument(
                    '--' + name, nargs='?', const=True, type=_boolean, metavar='BOOL', help=shown
                )
            else:
                kind = _whole_number if isinstance(default, int) else type(default)
                group.add_argument('--' + name, type=kind, metavar=_METAVARS[kind], help=shown)
    return parser


def read_config(arguments: Optional[List[str]] = None) -> config_lib.Config:
    """Flags -> settings; `defaults` says where those come from that were not given.

    An evaluation takes over the settings of the run in its folder, but for those of its own, and
    may be played on another backend.

    Raises:
      UserError: if an evaluation asks for other settings than those of the run, or the folder's
        manifest cannot be read.
      SystemExit: if a flag is unknown or of the wrong type.
    """
    given = vars(make_parser().parse_args(arguments))
    general = config_lib.Config()
    if not given.get('logdir'):
        given['logdir'] = 'runs/' + given.get('map_name', general.map_name)
    manifest = logdir.read_manifest(given['logdir'])
    if manifest is None:
        return defaults.complete(given)
    settings = dict(manifest['config'])
    if given.get('mode') != 'evaluate':
        return defaults.complete(given, settings)
    backend = given.get('backend', settings['backend'])
    settings = defaults.of_evaluation(settings, backend, EVALUATION_FLAGS)
    config = defaults.complete(given, settings)
    free = EVALUATION_FLAGS.union(config_lib.OF_THE_GAME)
    different = {
        name: value
        for name, value in config._asdict().items()
        if name not in free and value != settings[name]
    }
    if different:
        raise UserError(
            '--logdir={} was trained with other settings: {}. Leave these flags out, or choose '
            'another folder.'.format(
                config.logdir,
                ', '.join(
                    f'--{name}={settings[name]} (now {value})'
                    for name, value in sorted(different.items())
                ),
            )
        )
    return config


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs what the flags say; returns the exit code."""
    try:
        config = read_config(arguments)
        {'train': training.train, 'evaluate': evaluation.evaluate}.get(
            config.mode, config_lib.check
        )(config)
    except UserError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    return 0


def _default_text(name, default, of_some_map):
    if name in config_lib.OF_THE_MAP:
        return 'default: that of the map'
    text = 'default: {}'.format('empty' if default == '' else default)
    return text + '; some maps have their own' if name in of_some_map else text


def _boolean(text: str) -> bool:
    values = {'true': True, '1': True, 'yes': True, 'false': False, '0': False, 'no': False}
    if text.lower() not in values:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'true' nor 'false'")
    return values[text.lower()]


def _whole_number(text: str) -> int:
    """Takes 5e6 for 5000000 as well."""
    try:
        return int(text)
    except ValueError:
        try:
            number: Any = float(text)
            if number == int(number):
                return int(number)
        except (ValueError, OverflowError):
            pass
    raise argparse.ArgumentTypeError(f'{text!r} is not a whole number')


_METAVARS = {_whole_number: 'N', float: 'X', str: 'TEXT'}


if __name__ == '__main__':
    sys.exit(main())

"""Phases, processes and evaluations of a run."""

from sc2impala import envs
from sc2impala.errors import UserError
from sc2impala.settings import addresses
from sc2impala.settings.groups import ClusterSettings, EvaluationSettings, RunSettings
from sc2impala.settings.settings import Settings


def check_start(settings: Settings) -> None:
    """What the phases of a training need: a policy to hold on to, a map to be evaluated on."""
    algorithm_settings = settings.algorithms[settings.training.algorithm]
    cloning = settings.algorithms['cloning']
    teacher_cost = getattr(algorithm_settings, 'teacher_cost', 0.0)
    starts_fresh = not cloning.num_cloning_frames and not settings.start.init_checkpoint
    if teacher_cost and starts_fresh and settings.run.mode == 'train':
        raise UserError(
            f'--teacher_cost={teacher_cost} needs a policy to start from, expected '
            '--num_cloning_frames or --init_checkpoint with it.'
        )
    is_evaluated = cloning.num_cloning_frames and cloning.phase_evaluations
    if is_evaluated and settings.environment.map_name not in envs.MAP_NAMES:
        raise UserError(
            f'--phase_evaluations={cloning.phase_evaluations} are played on the simulator, which '
            f'does not have --map_name={settings.environment.map_name}, expected 0.'
        )


def check_cluster(run: RunSettings, cluster: ClusterSettings) -> None:
    """The job of this process, learner or actor, and the address of the learner."""
    job_name, address = cluster.job_name, cluster.learner_address
    if not job_name:
        if cluster.inference != 'local' and run.mode == 'train':
            raise UserError(
                f'--inference={cluster.inference} is for a cluster, expected --job_name=learner '
                'with it, or --inference=local.'
            )
        if address:
            raise UserError(
                f'--learner_address={address} is for a cluster, expected --job_name=learner or '
                '--job_name=actor with it.'
            )
        return
    if run.mode != 'train':
        raise UserError(
            f'--job_name={job_name} is for trainings, but --mode={run.mode}, expected no job name.'
        )
    if run.deterministic:
        raise UserError(
            f'--deterministic with --job_name={job_name}: the order in which several processes '
            'finish is not reproducible, expected only one of the two.'
        )
    _, port = addresses.parse(address)
    if job_name == 'actor' and not port:
        raise UserError(
            f'--learner_address={address} has no port to connect to, expected the one that the '
            'learner prints.'
        )


def check_follow(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """What can be done with every checkpoint of a run."""
    if not evaluation.follow:
        return
    if run.mode != 'evaluate':
        raise UserError(f'--follow is for evaluations, expected --mode=evaluate, not {run.mode}.')
    if evaluation.policy not in ('sampled', 'greedy'):
        raise UserError(
            f'--policy={evaluation.policy} with --follow: it has no checkpoints, expected sampled '
            'or greedy.'
        )
    for name in ('animation', 'curve'):
        if getattr(evaluation, name):
            raise UserError(
                f'--{name} with --follow: it is drawn once, expected an evaluation of its own.'
            )


def check_evaluations(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Evaluations within a training."""
    every = evaluation.evaluate_every_frames
    if not every:
        return
    if run.mode != 'train':
        raise UserError(
            f'--evaluate_every_frames={every} is for trainings, expected --mode=train with it, '
            f'not {run.mode}.'
        )
    if evaluation.policy not in ('sampled', 'greedy'):
        raise UserError(
            f'--policy={evaluation.policy} with --evaluate_every_frames={every}: it does not '
            'learn, expected sampled or greedy.'
        )


def check_checkpoint(run: RunSettings, evaluation: EvaluationSettings) -> None:
    """Which checkpoint is used, and where it is exported to."""
    policy, chosen = evaluation.policy, evaluation.checkpoint != 'latest'
    flag = f'--checkpoint={evaluation.checkpoint}'
    if chosen and run.mode == 'train':
        raise UserError(
            f'{flag} is for --mode=evaluate, record and export, expected none of it in a training.'
        )
    if chosen and evaluation.follow:
        raise UserError(
            f'{flag} with --follow: every checkpoint is evaluated, expected only one of the two.'
        )
    if evaluation.export_dir and run.mode != 'export':
        raise UserError(
            f'--export_dir={evaluation.export_dir} is for exports, expected --mode=export with it, '
            f'not {run.mode}.'
        )
    if policy not in ('sampled', 'greedy') and (chosen or run.mode == 'export'):
        raise UserError(
            f'--policy={policy} with {flag if chosen else "--mode=export"}: it has no checkpoints, '
            'expected sampled or greedy.'
        )

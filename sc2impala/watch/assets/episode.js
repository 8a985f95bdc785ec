/* An episode with its arrays, and what follows from them. */

const ABSENT = 255;
const SELECTED = 1, SEEN = 2, UNFINISHED = 4;

class Episode {
  /** Args: `content` is unpacked, except for its layers; `trace` is the player's. */
  constructor(content, trace) {
    Object.assign(this, content);
    this.trace = trace;
    this.player = trace.player;
    this.world = trace.world;
    this.scale = trace.position_scale;
    this.slots = this.units.type.shape[1];
    this.end = this.frames[this.steps];
    this.scores = new Float32Array(this.steps + 1);
    for (let t = 0; t < this.steps; t++) this.scores[t + 1] = this.scores[t] + this.rewards[t];
    this.heatRows = {};
    for (const name of Object.keys(this.choices.heat)) this.heatRows[name] = this.countUses(name);
    this.entropies = this.sumEntropies();
    this.opened = {};
  }

  /** Unpacks an episode of a trace. */
  static async open(trace, index) {
    const { layers, ...rest } = trace.episodes[index];
    const content = await unpackAll(rest);
    return new Episode({ ...content, layers }, trace);
  }

  /** Returns the last step that starts at a frame or before. */
  stepAt(frame) {
    let low = 0, high = this.steps - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns which part of a step has passed at a frame, 0..1. */
  progress(step, frame) {
    const length = this.frames[step + 1] - this.frames[step];
    return length > 0 ? Math.min(Math.max((frame - this.frames[step]) / length, 0), 1) : 0;
  }

  functionAt(step) {
    return this.choices.chosen.function[step];
  }

  uses(step, head) {
    return head === 'function' || head === 'step_mul'
      || this.player.head_used[this.functionAt(step)].includes(head);
  }

  headOf(name) {
    return this.player.heads.find((head) => head.name === name);
  }

  /** Returns the chosen pixel of a point head. */
  point(step, name) {
    const [width] = this.headOf(name).size;
    const index = this.choices.chosen[name][step];
    return [index % width, Math.floor(index / width)];
  }

  /** Returns the row of a head's heat maps for a step, or -1. */
  heatRow(step, name) {
    return name in this.heatRows ? this.heatRows[name][step] : -1;
  }

  countUses(name) {
    const rows = new Int32Array(this.steps);
    let count = 0;
    for (let t = 0; t < this.steps; t++) rows[t] = this.uses(t, name) ? count++ : -1;
    return rows;
  }

  /** Returns the entropy of the heads that are used, or null. */
  sumEntropies() {
    if (this.player.kind !== 'policy') return null;
    const total = new Float32Array(this.steps);
    for (const [name, values] of Object.entries(this.choices.entropy)) {
      for (let t = 0; t < this.steps; t++) if (this.uses(t, name)) total[t] += values[t];
    }
    return total;
  }

  /** Returns a promise of the values of a layer, kept once it is unpacked. */
  layer(index) {
    if (!(index in this.opened)) this.opened[index] = unpack(this.layers[index].values);
    return this.opened[index];
  }

  /** Returns the world's rectangle [left, right, bottom, top] that a group of layers shows. */
  area(group, step) {
    if (group === 'minimap') return this.world.minimap;
    const x = this.camera[2 * step] / this.scale, y = this.camera[2 * step + 1] / this.scale;
    const half = this.world.screen_extent / 2;
    return [x - half, x + half, y - half, y + half];
  }
}

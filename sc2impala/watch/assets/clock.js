/* The frame that is shown, and its progress while the episode plays. */

class Clock {
  /** Args: `changed` is called after each change of frame, state or speed. */
  constructor(changed) {
    this.changed = changed;
    this.frame = 0;
    this.end = 0;
    this.playing = false;
    this.speed = 1;
  }

  seek(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.end);
    this.changed();
  }

  setEnd(end) {
    this.end = end;
    this.frame = 0;
    this.changed();
  }

  toggle(playing = !this.playing) {
    if (playing && this.frame >= this.end) this.frame = 0;
    const starts = playing && !this.playing;
    this.playing = playing;
    this.changed();
    if (starts) {
      this.before = null;
      requestAnimationFrame((time) => this.tick(time));
    }
  }

  tick(time) {
    if (!this.playing) return;
    const seconds = this.before === null ? 0 : Math.min((time - this.before) / 1000, 0.25);
    this.before = time;
    this.frame = Math.min(this.frame + seconds * FRAMES_PER_SECOND * this.speed, this.end);
    if (this.frame >= this.end) this.playing = false;
    this.changed();
    requestAnimationFrame((next) => this.tick(next));
  }
}

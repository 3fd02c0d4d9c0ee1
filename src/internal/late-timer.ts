/** Microtasks that a settled body, handler or store needs until it cancels its timer. */
const TURNS = 8;

/** A timer that starts a few microtasks later. Work that settles until then needs none, which would take longer than it. */
export class LateTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isCancelled = false;

  constructor(act: () => void, ms: number) {
    void this.#start(act, ms);
  }

  async #start(act: () => void, ms: number): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) {
      await undefined;
      if (this.#isCancelled) return;
    }
    this.#timer = setTimeout(act, ms);
  }

  cancel(): void {
    this.#isCancelled = true;
    clearTimeout(this.#timer);
  }
}

/** Microtasks that a settled handler or store needs until it cancels its timer. */
const TURNS = 8;
const SETTLED = Promise.resolve();

/** A timer that starts a few microtasks later. Work that settles until then needs none, which would take longer than it. */
export class LateTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isCancelled = false;

  constructor(act: () => void, ms: number) {
    let turns = 0;
    const turn = (): unknown => {
      if (this.#isCancelled) return;
      if (turns++ < TURNS) return void SETTLED.then(turn);
      this.#timer = setTimeout(act, ms);
    };
    turn();
  }

  cancel(): void {
    this.#isCancelled = true;
    clearTimeout(this.#timer);
  }
}

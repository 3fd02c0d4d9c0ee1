/** Deliveries by connection, in the order of arrival. */
export class Peers<Each extends { readonly peer: unknown }> {
  size = 0;
  readonly #peers = new Map<unknown, Set<Each>>();

  has(arrival: Each): boolean {
    return this.#peers.get(arrival.peer)?.has(arrival) === true;
  }

  add(arrival: Each): void {
    const peer = this.#peers.get(arrival.peer) ?? new Set();
    this.#peers.set(arrival.peer, peer.add(arrival));
    this.size++;
  }

  delete(arrival: Each): void {
    const peer = this.#peers.get(arrival.peer);
    if (!peer?.delete(arrival)) return;
    this.size--;
    if (peer.size === 0) this.#peers.delete(arrival.peer);
  }

  /** The oldest delivery of the peer with the most deliveries. */
  oldestOfMost(): Each | undefined {
    let most = new Set<Each>();
    for (const peer of this.#peers.values()) if (peer.size > most.size) most = peer;
    const [oldest] = most;
    return oldest;
  }

  all(): Each[] {
    return [...this.#peers.values()].flatMap((peer) => [...peer]);
  }
}

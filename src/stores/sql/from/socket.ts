export interface SocketLike {
  readonly destroyed: boolean;
  readonly closed: boolean;
  once(event: 'close', listener: () => unknown): SocketLike;
  destroy(): unknown;
}

/** Both clients wait for the server when they end a connection themselves. A pool drops one whose socket has closed. */
export function socketOf(connection: object): SocketLike {
  return Reflect.get(connection, 'stream') ?? Reflect.get(Object(Reflect.get(connection, 'connection')), 'stream');
}

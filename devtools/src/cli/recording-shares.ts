/** Bytes of genuine deliveries and of all others. Neither takes the room of the other. */
export interface Shares {
  genuine: number;
  others: number;
}

/** How a limit is shared: a quarter is for what strangers can send. */
export function sharesOf(bytes: number): Readonly<Shares> {
  const others = Math.floor(bytes / 4);
  return { genuine: bytes - others, others };
}

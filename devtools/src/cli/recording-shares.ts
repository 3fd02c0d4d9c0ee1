/** Bytes of authentic deliveries and of all others. Neither uses the space of the other. */
export interface Shares {
  genuine: number;
  others: number;
}

/** Divides a limit: a quarter is for deliveries that anyone can send. */
export function sharesOf(bytes: number): Readonly<Shares> {
  const others = Math.floor(bytes / 4);
  return { genuine: bytes - others, others };
}

/** The status of an answer, or 500 for one that cannot be sent: a receiver of somebody's own may give anything. */
export function validStatus(status: unknown): number {
  return Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599 ? (status as number) : 500;
}

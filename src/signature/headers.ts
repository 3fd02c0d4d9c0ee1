/** The names of the two headers that carry a delivery's signature and timestamp. Case does not matter. */
export interface HeaderNames {
  readonly signature: string;
  readonly timestamp: string;
}

/** The header names of the specification (section 5.2). The default everywhere. */
export const serviceHeaders: HeaderNames = {
  signature: 'X-Service-Signature',
  timestamp: 'X-Service-Timestamp',
};

/** The header names that Curvegrid MultiBaas sends. */
export const multibaasHeaders: HeaderNames = {
  signature: 'X-MultiBaas-Signature',
  timestamp: 'X-MultiBaas-Timestamp',
};

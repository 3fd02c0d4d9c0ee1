/** What goes wrong with a node: it does not answer, answers from old blocks, or answers 429. */
export type Trouble = 'away' | 'lag' | 'limit';

/** What the process of the node is sent. */
export type ToNode = { readonly step: number } | { readonly trouble: Trouble; readonly ms: number };

/** What the process of the node tells. */
export type FromNode = { readonly port: number } | { readonly stepped: number; readonly at: number };

export const TIERS: Readonly<Record<string, { readonly include: string[]; readonly exclude: string[] }>>;

export function stalePages(): { url: URL; fresh: string }[];

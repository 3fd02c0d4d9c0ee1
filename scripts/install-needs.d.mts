export function installNeeds(needs: readonly string[]): void;

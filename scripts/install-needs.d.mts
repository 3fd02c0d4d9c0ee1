export function installNeeds(needs: readonly string[]): Promise<void>;

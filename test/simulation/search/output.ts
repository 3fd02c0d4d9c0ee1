import { bundleWith, type Defect } from '../defects/defect.js';
import { defects } from '../defects/index.js';

/** Where lines go, and a line that the next one replaces. */
export interface Output {
  line(text: string): void;
  progress(text: string): void;
}

const NO_DEFECT: Pick<Defect, 'name' | 'patches'> = { name: 'none', patches: [] };

/** Bundles the code, with a defect if there is one of that name. */
export function bundleOf(defect: string | undefined): Promise<string> {
  return bundleWith(defects.find(({ name }) => name === defect) ?? NO_DEFECT);
}

import { line } from '../shared/text.js';

/** Limit of values in a select; beyond it, use the search. */
const MOST_OPTIONS = 200;

interface ChoiceProps {
  readonly label: string;
  /** Label of the option without a filter. */
  readonly all: string;
  readonly values: Iterable<string>;
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

/** A select of the values that are present. Options are numbered: values from the wire are never used in markup. */
export function Choice({ label, all, values, chosen, onChoose }: ChoiceProps) {
  const options = [...values].sort().slice(0, MOST_OPTIONS);
  if (chosen !== undefined && !options.includes(chosen)) options.unshift(chosen);
  return (
    <select
      aria-label={label}
      value={chosen === undefined ? '' : options.indexOf(chosen)}
      onChange={({ currentTarget }) => onChoose(options[currentTarget.selectedIndex - 1])}
    >
      <option value="">{all}</option>
      {options.map((value, index) => (
        <option key={value} value={index} dir="auto">
          {line(value) || '(empty)'}
        </option>
      ))}
    </select>
  );
}

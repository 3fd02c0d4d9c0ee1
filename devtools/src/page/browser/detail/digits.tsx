import { groupsOf } from './groups.js';

/** A number with its digits in groups. The gaps are no characters: what is selected and copied is the number. */
export function Digits({ value }: { value: string }) {
  const { sign, groups, fraction } = groupsOf(value);
  return (
    <bdi class="digits">
      {sign}
      {groups.map((group, index) => (
        <span key={index}>{group}</span>
      ))}
      {fraction}
    </bdi>
  );
}

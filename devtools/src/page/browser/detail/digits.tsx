import { groupsOf } from './groups.js';

/** A number with grouped digits. The gaps are not characters, so that copying yields the number. */
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

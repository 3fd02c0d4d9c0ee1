const NUMBER = /^(-?)(\d{1,200})(\.\d{1,200})?$/;

/** Whether a value is a number whose digits can be grouped. */
export const isNumber = (value: string) => NUMBER.test(value);

/** A number in parts: its sign, the digits before the point in threes from the right, and the fraction with its point. */
export function groupsOf(value: string): { sign: string; groups: string[]; fraction: string } {
  const [, sign = '', whole = '', fraction = ''] = NUMBER.exec(value) ?? [];
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return { sign, groups, fraction };
}

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

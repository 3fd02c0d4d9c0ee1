// Turns a Lua script into JavaScript, so that the real scripts of the store run, and a patched script behaves as patched. The
// subset is what they use; anything else ends the schedule by its name.
import luaparse, { type Expression, type Statement } from 'luaparse';

/** What a script is given: its keys and arguments, and `redis.call`. */
export type Script = (keys: readonly string[], args: readonly string[], redis: { call: Call; pcall: Call }) => unknown;
export type Call = (name: string, ...args: (string | number)[]) => unknown;

/** Only nil and false are false in Lua. */
const isTrue = (value: unknown) => value !== undefined && value !== false;

const LIBRARY = {
  isTrue,
  and: (left: unknown, right: () => unknown) => (isTrue(left) ? right() : left),
  or: (left: unknown, right: () => unknown) => (isTrue(left) ? left : right()),
  ipairs: (list: readonly unknown[]) => list.map((item, at) => [at + 1, item]),
  type: (value: unknown) => (typeof value === 'object' ? 'table' : typeof value),
  string: { sub: (text: string, from: number, to: number) => text.slice(from - 1, to) },
  tonumber: Number,
  math: { floor: Math.floor },
  // A table begins as a list, which may get fields.
  cjson: { decode: JSON.parse, encode: (table: object) => JSON.stringify({ ...table }) },
};
const BINARY: Readonly<Record<string, string>> = {
  '==': '===',
  '~=': '!==',
  '..': '+',
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  '>': '>',
};

const unknown = (what: string): never => {
  throw new Error(`The Redis model does not know the Lua of ${what}.`);
};

function expression(node: Expression): string {
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return JSON.stringify(node.value);
    case 'NilLiteral':
      return 'undefined';
    case 'Identifier':
      return node.name;
    case 'IndexExpression':
      return `${expression(node.base)}[${expression(node.index)} - 1]`;
    case 'MemberExpression':
      return `${expression(node.base)}.${node.identifier.name}`;
    case 'TableConstructorExpression':
      return node.fields.length === 0 ? '[]' : unknown('a table with fields');
    case 'LogicalExpression':
      return `${node.operator}(${expression(node.left)}, () => ${expression(node.right)})`;
    case 'UnaryExpression':
      if (node.operator === '-') return `-${expression(node.argument)}`;
      if (node.operator === '#') return `${expression(node.argument)}.length`;
      return node.operator === 'not' ? `!isTrue(${expression(node.argument)})` : unknown(node.operator);
    case 'BinaryExpression':
      return `(${expression(node.left)} ${BINARY[node.operator] ?? unknown(node.operator)} ${expression(node.right)})`;
    case 'CallExpression':
      return `${expression(node.base)}(${node.arguments.map(expression)})`;
    default:
      return unknown(`a ${node.type}`);
  }
}

const block = (body: readonly Statement[]) => `{${body.map(statement).join('\n')}}`;

function statement(node: Statement): string {
  switch (node.type) {
    case 'LocalStatement':
      return `let [${node.variables.map(expression)}] = [${node.init.map(expression)}];`;
    case 'AssignmentStatement':
      return `[${node.variables.map(expression)}] = [${node.init.map(expression)}];`;
    case 'FunctionDeclaration':
      return `function ${node.identifier ? expression(node.identifier) : ''}(${node.parameters.map(expression)}) ${block(node.body)}`;
    case 'CallStatement':
      return `${expression(node.expression)};`;
    case 'ReturnStatement':
      return `return ${node.arguments.map(expression)};`;
    case 'IfStatement':
      return node.clauses
        .map(
          (clause) =>
            (clause.type === 'ElseClause' ? '' : `if (isTrue(${expression(clause.condition)})) `) + block(clause.body),
        )
        .join(' else ');
    case 'ForGenericStatement':
      return `for (const [${node.variables.map(expression)}] of ${node.iterators.map(expression)}) ${block(node.body)}`;
    default:
      return unknown(`a ${node.type}`);
  }
}

const compiled = new Map<string, Script>();

/** Compiles a script once: that takes longer than a schedule. */
export function scriptOf(text: string): Script {
  let script = compiled.get(text);
  if (script === undefined) {
    const { body } = luaparse.parse(text, { luaVersion: '5.1', encodingMode: 'pseudo-latin1' });
    const make = new Function(...Object.keys(LIBRARY), `return (KEYS, ARGV, redis) => ${block(body)}`);
    script = make(...Object.values(LIBRARY)) as Script;
    compiled.set(text, script);
  }
  return script;
}

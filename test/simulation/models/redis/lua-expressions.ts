// Compiles expressions of Lua to functions. What is outside of the subset is refused by name when a script is compiled.
import type { BinaryExpression, CallExpression, Expression, TableConstructorExpression } from 'luaparse';
import { isTrue, LuaTable, type LuaValue, typeOf, unknown } from './values.js';

/** One run of a script. */
export interface Frame {
  /** The local variables. */
  readonly slots: LuaValue[];
  readonly keys: LuaTable;
  readonly args: LuaTable;
  /** Runs a command. An error ends the script if `line` is given, and is returned otherwise. */
  command(args: readonly string[], line?: number): LuaValue;
  result: LuaValue;
}

export type Evaluate = (frame: Frame) => LuaValue;

/** The local variables that are visible, with their slots. */
export class Scope {
  readonly #slots: Map<string, number>;
  readonly #size: { count: number };

  constructor(outer?: Scope) {
    this.#slots = new Map(outer ? outer.#slots : []);
    this.#size = outer ? outer.#size : { count: 0 };
  }

  /** The number of slots of the whole script. */
  get size(): number {
    return this.#size.count;
  }

  declare(name: string): number {
    const slot = this.#size.count++;
    this.#slots.set(name, slot);
    return slot;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }
}

export function compileExpression(node: Expression, scope: Scope): Evaluate {
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral': {
      const { value } = node;
      return () => value;
    }
    case 'NilLiteral':
      return () => undefined;
    case 'Identifier':
      return compileName(node.name, scope);
    case 'IndexExpression':
      return compileIndex(compileExpression(node.base, scope), compileExpression(node.index, scope));
    case 'MemberExpression': {
      const { name } = node.identifier;
      return compileIndex(compileExpression(node.base, scope), () => name);
    }
    case 'TableConstructorExpression':
      return compileTable(node, scope);
    case 'LogicalExpression': {
      const left = compileExpression(node.left, scope);
      const right = compileExpression(node.right, scope);
      const goesRight = node.operator === 'and';
      return (frame) => {
        const value = left(frame);
        return isTrue(value) === goesRight ? right(frame) : value;
      };
    }
    case 'UnaryExpression': {
      const argument = compileExpression(node.argument, scope);
      if (node.operator === 'not') return (frame) => !isTrue(argument(frame));
      if (node.operator === '#') return (frame) => lengthOf(argument(frame));
      if (node.operator === '-') return (frame) => -toNumber(argument(frame));
      return unknown(`the operator ${node.operator}`);
    }
    case 'BinaryExpression':
      return compileBinary(node, scope);
    case 'CallExpression':
      return compileCall(node, scope);
    default:
      return unknown(`the Lua of a ${node.type}`);
  }
}

function compileName(name: string, scope: Scope): Evaluate {
  const slot = scope.slotOf(name);
  if (slot !== undefined) return (frame) => frame.slots[slot];
  if (name === 'KEYS') return (frame) => frame.keys;
  if (name === 'ARGV') return (frame) => frame.args;
  return unknown(`the Lua variable ${name}`);
}

function compileIndex(base: Evaluate, index: Evaluate): Evaluate {
  return (frame) => tableOf(base(frame)).get(index(frame));
}

export function tableOf(value: LuaValue): LuaTable {
  return value instanceof LuaTable ? value : unknown(`an index into a value of the type ${typeOf(value)}`);
}

function compileTable(node: TableConstructorExpression, scope: Scope): Evaluate {
  const values = node.fields.map((field) => {
    if (field.type === 'TableKey') return unknown('a computed key in a table constructor');
    const value = compileExpression(field.value, scope);
    return { name: field.type === 'TableKeyString' ? field.key.name : undefined, value };
  });
  return (frame) => {
    const table = new LuaTable();
    for (const { name, value } of values) table.set(name ?? table.items.length + 1, value(frame));
    return table;
  };
}

function compileBinary({ operator, left, right }: BinaryExpression, scope: Scope): Evaluate {
  const a = compileExpression(left, scope);
  const b = compileExpression(right, scope);
  switch (operator) {
    case '==':
      return (frame) => a(frame) === b(frame);
    case '~=':
      return (frame) => a(frame) !== b(frame);
    case '<':
      return (frame) => isLess(a(frame), b(frame));
    case '>':
      return (frame) => isLess(b(frame), a(frame));
    case '<=':
      return (frame) => !isLess(b(frame), a(frame));
    case '>=':
      return (frame) => !isLess(a(frame), b(frame));
    case '+':
      return (frame) => toNumber(a(frame)) + toNumber(b(frame));
    case '-':
      return (frame) => toNumber(a(frame)) - toNumber(b(frame));
    case '*':
      return (frame) => toNumber(a(frame)) * toNumber(b(frame));
    case '..':
      return (frame) => toText(a(frame)) + toText(b(frame));
    default:
      return unknown(`the operator ${operator}`);
  }
}

function compileCall(node: CallExpression, scope: Scope): Evaluate {
  const name = nameOf(node.base, scope);
  const args = node.arguments.map((each) => compileExpression(each, scope));
  const textOf = (frame: Frame) => args.map((each) => toText(each(frame)));
  const [first = () => unknown(`a call of ${name} without an argument`), second, third] = args;
  switch (name) {
    case 'redis.call': {
      const line = node.loc?.start.line ?? unknown('the line of a call');
      return (frame) => frame.command(textOf(frame), line);
    }
    case 'redis.pcall':
      return (frame) => frame.command(textOf(frame));
    case 'string.sub':
      return (frame) => substring(toText(first(frame)), toNumber(second?.(frame)), third && toNumber(third(frame)));
    case 'type':
      return (frame) => typeOf(first(frame));
    case 'tonumber':
      return (frame) => toNumber(first(frame));
    case 'tostring':
      return (frame) => toText(first(frame));
    default:
      return unknown(`the Lua function ${name}`);
  }
}

/** The name of a function of the library; a local variable of that name hides it. */
export function nameOf(node: Expression, scope: Scope): string {
  if (node.type === 'Identifier' && scope.slotOf(node.name) === undefined) return node.name;
  if (node.type === 'MemberExpression' && node.indexer === '.')
    return `${nameOf(node.base, scope)}.${node.identifier.name}`;
  return unknown('a call of anything but a function of the library');
}

/** Positions count from 1, negative ones from the end. */
function substring(text: string, from: number, to = -1): string {
  const start = from < 0 ? Math.max(text.length + from, 0) : Math.max(from - 1, 0);
  return text.slice(start, to < 0 ? Math.max(text.length + to + 1, 0) : to);
}

function lengthOf(value: LuaValue): number {
  if (typeof value === 'string') return value.length;
  return value instanceof LuaTable ? value.items.length : unknown(`the length of a value of the type ${typeOf(value)}`);
}

function isLess(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return unknown(`a comparison of ${typeOf(a)} with ${typeOf(b)}`);
}

/** Lua takes more notations and has other numbers, which no script of ours needs. */
export function toNumber(value: LuaValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return unknown(`the number of ${typeOf(value)} ${String(value)}`);
}

/** Lua writes whole numbers below 10^14 in full. */
function toText(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e14) return String(value);
  return unknown(`the text of ${typeOf(value)} ${value instanceof LuaTable ? '' : String(value)}`);
}

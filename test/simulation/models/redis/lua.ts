// Compiles the Lua of a script, so that the real scripts run, and a patched script behaves as patched. The subset: local
// variables, lists and records, `if`, `for … in ipairs()`, the operators, `redis.call` and `redis.pcall`, `string.sub`,
// `type`, `tonumber` and `tostring`. Anything else, and what would be an error of Lua, ends the schedule by name.
import luaparse, { type ForGenericStatement, type IfStatement, type Statement } from 'luaparse';
import { compileExpression, type Evaluate, type Frame, nameOf, Scope, tableOf } from './lua-expressions.js';
import { isTrue, type LuaValue, unknown } from './values.js';

/** Runs a statement. Returns whether the script has returned. */
type Execute = (frame: Frame) => boolean;

export interface Script {
  readonly slots: number;
  run(frame: Frame): LuaValue;
}

export function compileScript(text: string): Script {
  const chunk = luaparse.parse(text, { luaVersion: '5.1', locations: true, encodingMode: 'pseudo-latin1' });
  const scope = new Scope();
  const body = compileBlock(chunk.body, scope);
  return {
    slots: scope.size,
    run(frame) {
      body(frame);
      return frame.result;
    },
  };
}

function compileBlock(statements: readonly Statement[], outer: Scope): Execute {
  // The block of the script is its own.
  const scope = new Scope(outer);
  const steps = statements.map((each) => compileStatement(each, scope));
  return (frame) => {
    for (const step of steps) if (step(frame)) return true;
    return false;
  };
}

function compileStatement(node: Statement, scope: Scope): Execute {
  switch (node.type) {
    case 'LocalStatement': {
      // The values see what was visible before.
      const values = node.init.map((each) => compileExpression(each, scope));
      const stores = node.variables.map(({ name }) => storeIn(scope.declare(name)));
      return compileStores(stores, values);
    }
    case 'AssignmentStatement': {
      const values = node.init.map((each) => compileExpression(each, scope));
      return compileStores(
        node.variables.map((each) => compileTarget(each, scope)),
        values,
      );
    }
    case 'CallStatement': {
      const call = compileExpression(node.expression, scope);
      return (frame) => {
        call(frame);
        return false;
      };
    }
    case 'IfStatement':
      return compileIf(node, scope);
    case 'ForGenericStatement':
      return compileFor(node, scope);
    case 'ReturnStatement': {
      if (node.arguments.length > 1) return unknown('a script that returns several values');
      const [value = () => undefined] = node.arguments.map((each) => compileExpression(each, scope));
      return (frame) => {
        frame.result = value(frame);
        return true;
      };
    }
    default:
      return unknown(`the Lua of a ${node.type}`);
  }
}

type Store = (frame: Frame, value: LuaValue) => void;

function storeIn(slot: number): Store {
  return (frame, value) => {
    frame.slots[slot] = value;
  };
}

function compileTarget(node: Extract<Statement, { type: 'AssignmentStatement' }>['variables'][0], scope: Scope): Store {
  if (node.type === 'Identifier') {
    return storeIn(scope.slotOf(node.name) ?? unknown(`the Lua variable ${node.name}, which is not local`));
  }
  const base = compileExpression(node.base, scope);
  const { name } = node.type === 'MemberExpression' ? node.identifier : { name: '' };
  const index: Evaluate = node.type === 'IndexExpression' ? compileExpression(node.index, scope) : () => name;
  return (frame, value) => tableOf(base(frame)).set(index(frame), value);
}

function compileStores(stores: readonly Store[], values: readonly Evaluate[]): Execute {
  const [store] = stores;
  const [value] = values;
  if (stores.length === 1 && values.length <= 1 && store) {
    return (frame) => {
      store(frame, value?.(frame));
      return false;
    };
  }
  return (frame) => {
    const results = values.map((each) => each(frame));
    for (const [index, each] of stores.entries()) each(frame, results[index]);
    return false;
  };
}

function compileIf({ clauses }: IfStatement, scope: Scope): Execute {
  const cases = clauses.map((clause) => ({
    holds: clause.type === 'ElseClause' ? () => true : compileExpression(clause.condition, scope),
    body: compileBlock(clause.body, scope),
  }));
  return (frame) => {
    for (const { holds, body } of cases) if (isTrue(holds(frame))) return body(frame);
    return false;
  };
}

function compileFor(node: ForGenericStatement, outer: Scope): Execute {
  const [iterator] = node.iterators;
  const [index, item] = node.variables;
  const isIpairs = iterator?.type === 'CallExpression' && nameOf(iterator.base, outer) === 'ipairs';
  const [list] = isIpairs ? iterator.arguments : [];
  if (list === undefined || index === undefined || node.iterators.length > 1) {
    return unknown('a loop over anything but ipairs(…)');
  }
  const items = compileExpression(list, outer);
  const scope = new Scope(outer);
  const setIndex = storeIn(scope.declare(index.name));
  const setItem = item && storeIn(scope.declare(item.name));
  const body = compileBlock(node.body, scope);
  return (frame) => {
    const table = tableOf(items(frame));
    for (let at = 1; ; at++) {
      const value = table.get(at);
      if (value === undefined) return false;
      setIndex(frame, at);
      setItem?.(frame, value);
      if (body(frame)) return true;
    }
  };
}

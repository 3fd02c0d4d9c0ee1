import { readdirSync, readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

// The part of the checker that is JavaScript, on every platform.
beforeAll(() => {
  process.env.RECHECK_BACKEND = 'pure';
});

const folder = new URL('../../src/explain/', import.meta.url);

function nodesOf(file: string): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(new URL(file, folder), 'utf8'), ts.ScriptTarget.Latest));
  return nodes;
}

const nodes = readdirSync(folder).flatMap(nodesOf);
const literals = [...new Set(nodes.filter(ts.isRegularExpressionLiteral).map(({ text }) => text))];

function statusOf(literal: string): string {
  const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(literal) ?? [];
  // It tries random texts too: the same ones every time.
  return checkSync(source, flags, { timeout: 60_000, randomSeed: 1 }).status;
}

describe('a regular expression of explainFailure', { timeout: 120_000 }, () => {
  it.each(literals)('%s takes linear time', (literal) => {
    expect(statusOf(literal)).toBe('safe');
  });

  it('is a literal', () => {
    const made = nodes.filter((node) => ts.isNewExpression(node) || ts.isCallExpression(node));
    expect(made.filter(({ expression }) => ts.isIdentifier(expression) && expression.text === 'RegExp')).toEqual([]);
  });

  it('would be found where it is quadratic', () => {
    expect(statusOf('/\\s+(?:#|\\/\\/).*$/s')).toBe('vulnerable');
  });
});

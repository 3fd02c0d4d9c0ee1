import ts from 'typescript';

/** Code with a counter in every branch, and the text literals that it compares with. */
export interface Instrumented {
  readonly text: string;
  readonly edges: number;
  readonly literals: readonly string[];
}

const SHORT_CIRCUIT = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);
const LONGEST_LITERAL = 40;

/**
 * Puts `__edges[n]++` at the start of each function, branch, loop and operand that may be skipped, with numbers from
 * `first`. Line numbers do not change.
 */
export function instrument(text: string, first: number): Instrumented {
  const source = ts.createSourceFile('subject.ts', text, ts.ScriptTarget.ES2022, true);
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const literals = new Set<string>();
  let next = first;
  const put = (at: number, added: string) => inserted.push({ at, text: added });
  const count = () => `__edges[${next++}]++`;

  // Each returns what closes it, which is put after everything inside.
  function expression(node: ts.Expression): () => void {
    put(node.getStart(source), `(${count()},`);
    return () => put(node.end, ')');
  }
  function statement(node: ts.Statement): () => void {
    if (ts.isBlock(node)) return block(node);
    put(node.getStart(source), `{${count()};`);
    return () => put(node.end, '}');
  }
  function block(node: ts.Block): () => void {
    put(node.getStart(source) + 1, `${count()};`);
    return () => {};
  }
  function branches(node: ts.Node): (() => void)[] {
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return [expression(node.body)];
    if (ts.isFunctionLike(node)) return 'body' in node && node.body && ts.isBlock(node.body) ? [block(node.body)] : [];
    if (ts.isIfStatement(node)) {
      const close = [statement(node.thenStatement)];
      if (node.elseStatement) return [...close, statement(node.elseStatement)];
      return [...close, () => put(node.end, ` else{${count()};}`)];
    }
    if (ts.isIterationStatement(node, false)) return [statement(node.statement)];
    if (ts.isConditionalExpression(node)) return [expression(node.whenTrue), expression(node.whenFalse)];
    if (ts.isBinaryExpression(node) && SHORT_CIRCUIT.has(node.operatorToken.kind)) return [expression(node.right)];
    if (ts.isCatchClause(node)) return [block(node.block)];
    if (ts.isCaseOrDefaultClause(node)) put(endOfColon(node), `${count()};`);
    return [];
  }
  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) && node.text.length <= LONGEST_LITERAL) literals.add(node.text);
    const closing = branches(node);
    ts.forEachChild(node, visit);
    for (const close of closing) close();
  }
  function endOfColon(clause: ts.CaseOrDefaultClause): number {
    const colon = clause.getChildren(source).find(({ kind }) => kind === ts.SyntaxKind.ColonToken);
    return colon?.end ?? clause.end;
  }
  visit(source);
  return { text: spliced(text, inserted), edges: next - first, literals: [...literals] };
}

function spliced(text: string, inserted: readonly { readonly at: number; readonly text: string }[]): string {
  const parts: string[] = [];
  let copied = 0;
  // The sort is stable: what is put at one place stays in order.
  for (const each of [...inserted].sort((a, b) => a.at - b.at)) {
    parts.push(text.slice(copied, each.at), each.text);
    copied = each.at;
  }
  return parts.join('') + text.slice(copied);
}

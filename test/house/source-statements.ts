/** The SQL statements in the source of src: literals that begin like one, with their constants filled in. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { listFiles, nodesOf } from './sources.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STATEMENT = /^\s*(with|select|insert into|update|delete from)\s/;
const MAY_HOLD_STATEMENTS = /[`']\s*(with|select|insert into|update|delete from)\s/;

export interface SourceStatement {
  path: string;
  /** The function or constant that the statement is in. */
  owner: string;
  /** With `?` for bindings; one text for each combination of conditional parts. */
  texts: string[];
  /** The part that cannot be read from the source, if any; then there are no texts. */
  unread: string | null;
}

interface Source {
  path: string;
  nodes: ts.Node[];
  /** Names whose values are being read, because a function may pass its parameter on under the same name. */
  underWay: readonly string[];
  /** Parameters of the function that is being read, with the arguments that are passed for each. */
  passed: ReadonlyMap<string, () => string[]>;
}

export function readSourceStatements(folder = 'src'): SourceStatement[] {
  return listFiles(folder)
    .filter((path) => MAY_HOLD_STATEMENTS.test(readText(path)))
    .flatMap((path) => statementsOf(readSource(path)));
}

export const readStatementsIn = (text: string): SourceStatement[] => statementsOf(toSource('src', text));

const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const readSource = (path: string): Source => toSource(path, readText(path));

function toSource(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  return { path, nodes: nodesOf(tree), underWay: [], passed: new Map() };
}

const statementsOf = (source: Source): SourceStatement[] =>
  source.nodes
    .filter((node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    .filter((literal) => beginsStatement(literal, source) && !isFragment(literal, source))
    .map((literal) => ({ path: source.path, owner: ownerOf(literal), ...readTexts(literal, source) }));

/** Recognized by its first words, which may be those of a constant. */
function beginsStatement(literal: ts.StringLiteralLike | ts.TemplateExpression, source: Source): boolean {
  const text = ts.isTemplateExpression(literal) ? literal.head.text : literal.text;
  if (text !== '' || !ts.isTemplateExpression(literal)) return STATEMENT.test(text);
  const first = literal.templateSpans[0]?.expression as ts.Expression;
  return ts.isIdentifier(first) && readTexts(first, source).texts.some((value) => STATEMENT.test(value));
}

/**
 * A constant that occurs only within other statements is read with each of them; one that others import may
 * be whole.
 */
function isFragment({ parent }: ts.Node, { path, nodes }: Source): boolean {
  if (!ts.isVariableDeclaration(parent)) return false;
  const uses = nodes.filter((node) => ts.isIdentifier(node) && node.text === parent.name.getText());
  const others = uses.filter((use) => use.parent !== parent);
  if (others.length === 0) return !path.endsWith('.statements.ts');
  return others.every((use) => ts.isTemplateSpan(use.parent));
}

function ownerOf(literal: ts.Node): string {
  for (let node = literal; !ts.isSourceFile(node); node = node.parent) {
    const name = ts.isFunctionLike(node) ? functionName(node) : null;
    if (name !== null) return name;
    if (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent))
      return node.name.getText();
  }
  return 'module';
}

function functionName(node: ts.SignatureDeclaration): string | null {
  if (node.name) return node.name.getText();
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : null;
}

function readTexts(literal: ts.Expression, source: Source): Pick<SourceStatement, 'texts' | 'unread'> {
  try {
    return { texts: [...new Set(read(literal, source).map(toPositions))], unread: null };
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return { texts: [], unread: error.message };
  }
}

/** `:name` is a binding as well; a cast has two colons, and `profile:none` is a text. */
const toPositions = (text: string): string => text.replace(/(?<![:\w]):[a-z]\w*/g, '?');

class Unread extends Error {}

/** Every possible value of the expression. Elements that are spread into a list are left out. */
function read(node: ts.Expression, source: Source): string[] {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
  if (ts.isIdentifier(node)) return readName(node.text, source);
  if (ts.isCallExpression(node)) return readCall(node, source);
  if (ts.isConditionalExpression(node)) {
    return [...read(node.whenTrue, source), ...read(node.whenFalse, source)];
  }
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap(({ expression, literal }) => [
      read(expression, source),
      [literal.text],
    ]);
    return combine([[node.head.text], ...spans], '');
  }
  throw new Unread(node.getText());
}

const combine = (parts: string[][], separator: string): string[] =>
  parts.reduce((texts, part) => texts.flatMap((text) => part.map((next) => text + separator + next)));

/**
 * A constant of this file or an imported one, or a parameter: then every argument that the file passes for
 * it.
 */
function readName(name: string, source: Source): string[] {
  const passed = source.passed.get(name);
  if (passed) return passed();
  if (source.underWay.includes(name)) return [];
  const inside = { ...source, underWay: [...source.underWay, name] };
  const values = source.nodes.flatMap((node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer) {
      return read(node.initializer, inside);
    }
    if (ts.isImportSpecifier(node) && node.name.text === name) {
      return readName((node.propertyName ?? node.name).text, importedBy(node, source));
    }
    if (!ts.isParameter(node) || node.name.getText() !== name) return [];
    return argumentsFor(node, source).flatMap((argument) => read(argument, inside));
  });
  if (values.length === 0) throw new Unread(name);
  return values;
}

function importedBy(specifier: ts.ImportSpecifier, { path }: Source): Source {
  const module = specifier.parent.parent.parent.moduleSpecifier as ts.StringLiteral;
  return readSource(relative(ROOT, resolve(ROOT, dirname(path), module.text)));
}

function argumentsFor(parameter: ts.ParameterDeclaration, { nodes }: Source): ts.Expression[] {
  const called = parameter.parent;
  const index = called.parameters.indexOf(parameter);
  return nodes
    .filter(ts.isCallExpression)
    .filter(({ expression }) => expression.getText() === functionName(called))
    .map((call) => call.arguments[index] ?? parameter.initializer)
    .filter((argument) => argument !== undefined);
}

/** `[…].join('…')`, or a function of this file or an imported one that is a single expression. */
function readCall(call: ts.CallExpression, source: Source): string[] {
  const { expression } = call;
  const [argument] = call.arguments;
  if (ts.isPropertyAccessExpression(expression) && ts.isArrayLiteralExpression(expression.expression)) {
    const elements = expression.expression.elements.filter((element) => !ts.isSpreadElement(element));
    const parts = elements.map((element) => read(element, source));
    return combine(parts, argument && ts.isStringLiteralLike(argument) ? argument.text : ',');
  }
  const name = expression.getText();
  const specifier = source.nodes.filter(ts.isImportSpecifier).find((node) => node.name.text === name);
  const home = specifier ? importedBy(specifier, source) : source;
  const called = home.nodes.filter(ts.isArrowFunction).find((node) => functionName(node) === name);
  if (!called || ts.isBlock(called.body)) throw new Unread(name);
  const passed = called.parameters.map((parameter, index) => {
    const given = call.arguments[index];
    return [parameter.name.getText(), () => (given ? read(given, source) : [])] as const;
  });
  return read(called.body, { ...home, passed: new Map(passed) });
}

/** The source files of the repository with their imports, as the architecture test reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export interface Import {
  from: string;
  /** A path of this repository, or the name of a package. */
  to: string;
  isTypeOnly: boolean;
}

export interface Source {
  path: string;
  /** All nodes of its syntax tree, each before its children. */
  nodes: ts.Node[];
  imports: Import[];
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const readSources = (folders: string[]): Source[] => folders.flatMap(listFiles).map(readSource);

/** Without tokens and comments. */
export function nodesOf(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const add = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, add);
  };
  add(root);
  return nodes;
}

/** TypeScript files of the folder, as paths of this repository. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const nodes = nodesOf(tree);
  return { path, nodes, imports: [...importsOf(path, nodes)] };
}

function* importsOf(path: string, nodes: ts.Node[]): Generator<Import> {
  for (const node of nodes) {
    if (ts.isImportDeclaration(node)) yield toImport(path, node.moduleSpecifier, isTypeImport(node));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      yield toImport(path, node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      yield toImport(path, node.arguments[0] as ts.Expression, false);
    }
  }
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const { name, namedBindings } = importClause;
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly);
}

function toImport(path: string, specifier: ts.Expression, isTypeOnly: boolean): Import {
  const text = ts.isStringLiteralLike(specifier) ? specifier.text : specifier.getText();
  const to = text.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), text)) : text;
  return { from: path, to, isTypeOnly };
}

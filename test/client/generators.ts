/**
 * Third-party generators of clients. Each entry describes how to generate a client from openapi.json, where
 * to find its operations, how to compile it, and a program that lists devices with it: `program <base URL>
 * <key>` prints the serial number of the first device. `npm run test:programs` installs the generators.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../dev/source/imports.ts';

const INSTALLED = join(homedir(), '.cache/device-monitoring-service/test-programs/generators');
const NPM = join(INSTALLED, 'npm/node_modules/.bin');
const PYTHON = { PYTHONPATH: join(INSTALLED, 'python') };
const GO_MODULE = join(INSTALLED, 'go');
/** The same as in tools/client-generators.sh, which has compiled the client's imports with these options. */
const GO = { CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false -trimpath' };

export interface Command {
  /** Relative paths belong to the client's folder, unless `cwd` names another one. */
  command: string[];
  cwd?: string;
  env?: Record<string, string>;
}

export interface Generator {
  name: string;
  /** Exits with 0 if the generator is installed. */
  isThere: Command;
  /** Files beside the generated ones. */
  files: Record<string, string>;
  generate(openapi: string): Command;
  /**
   * Matches the name of an operation or schema in the text of a file, or in the names of a folder's files.
   */
  generated: { in: string; of?: 'schemas'; pattern(name: string): RegExp };
  /** Operations that the generator cannot express, with the reason. */
  without?: Record<string, string>;
  /** Commands that check types and compile, in this order; `folder` is the client's. */
  build(folder: string): Command[];
  run: Command;
}

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  },
  files: ['program.ts'],
});

/** Reads the base URL and the key. `process` is declared because the types of Node are missing. */
const ARGUMENTS =
  'declare const process: { argv: string[] };\nconst [, , baseUrl = "", key = ""] = process.argv;\nconst headers = { authorization: "Bearer " + key };\n';

const typeScript = (program: string) => ({
  files: { 'tsconfig.json': TSCONFIG, 'program.ts': program },
  build: (): Command[] => [
    { command: [process.execPath, `${ROOT}node_modules/typescript-native/bin/tsc`, '-p', '.'] },
    {
      command: [
        `${ROOT}node_modules/.bin/esbuild`,
        'program.ts',
        '--bundle',
        '--format=esm',
        '--outfile=program.mjs',
      ],
    },
  ],
  run: { command: [process.execPath, 'program.mjs'] },
});

const python = (program: string) => ({
  files: { 'program.py': program, 'configuration.yml': 'post_hooks: []\n' },
  build: (): Command[] => [{ command: ['python3', '-m', 'compileall', '-q', '.'] }],
  run: { command: ['python3', 'program.py'], env: PYTHON },
});

const GO_PROGRAM = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := NewClientWithResponses(os.Args[1], WithRequestEditorFn(authorize))
	if err != nil {
		panic(err)
	}
	answer, err := client.ListAssetsWithResponse(context.Background(), &ListAssetsParams{})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.JSON200.Items[0].SerialNumber)
}
`;

const snakeCase = (id: string) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascalCase = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);

const exists = (path: string): Command => ({ command: ['test', '-x', path] });
/** Both need pydantic_core, which is compiled for one version of Python. */
const importable = (name: string): Command => ({
  command: [
    'python3',
    '-c',
    `import importlib.util, pydantic_core; assert importlib.util.find_spec('${name}')`,
  ],
  env: PYTHON,
});

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    isThere: exists(join(NPM, 'openapi-typescript')),
    generate: (openapi) => ({ command: [join(NPM, 'openapi-typescript'), openapi, '-o', 'schema.ts'] }),
    generated: { in: 'schema.ts', pattern: (id) => new RegExp(`^    ${id}: \\{`, 'm') },
    ...typeScript(`import type { operations } from './schema';
${ARGUMENTS}
const answer = await fetch(baseUrl + '/assets', { headers });
const page: operations['listAssets']['responses'][200]['content']['application/json'] = await answer.json();
console.log(page.items[0]?.serialNumber.toString());
`),
  },
  {
    name: 'hey-api',
    isThere: exists(join(NPM, 'openapi-ts')),
    generate: (openapi) => ({ command: [join(NPM, 'openapi-ts'), '-i', openapi, '-o', 'out', '--silent'] }),
    generated: { in: 'out/sdk.gen.ts', pattern: (id) => new RegExp(`export const ${id} =`) },
    ...typeScript(`import { listAssets } from './out';
import { createClient } from './out/client';
${ARGUMENTS}
const { data } = await listAssets({ client: createClient({ baseUrl, headers }), throwOnError: true });
console.log(data.items[0]?.serialNumber.toString());
`),
  },
  {
    name: 'orval',
    isThere: exists(join(NPM, 'orval')),
    generate: (openapi) => ({
      command: [join(NPM, 'orval'), '--input', openapi, '--output', 'out.ts', '--client', 'fetch'],
    }),
    generated: { in: 'out.ts', pattern: (id) => new RegExp(`export const ${id} = async`) },
    ...typeScript(`import { listAssets } from './out';
${ARGUMENTS}
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(baseUrl + path, init);
const answer = await listAssets({}, { headers });
if (answer.status === 200) console.log(answer.data.items[0]?.serialNumber.toString());
`),
  },
  {
    name: 'openapi-python-client',
    isThere: importable('openapi_python_client'),
    generate: (openapi) => ({
      command: [
        ...['python3', '-m', 'openapi_python_client', 'generate', '--path', openapi, '--output-path', 'out'],
        ...['--config', 'configuration.yml', '--meta', 'none'],
      ],
      env: PYTHON,
    }),
    generated: { in: 'out/api', pattern: (id) => new RegExp(`/${snakeCase(id)}\\.py$`, 'm') },
    without: { uploadCalibrationCertificate: 'Unsupported content type application/pdf' },
    ...python(`import sys
from out import AuthenticatedClient
from out.api.assets import list_assets

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], raise_on_unexpected_status=True)
print(list_assets.sync(client=client).items[0].serial_number)
`),
  },
  {
    name: 'datamodel-code-generator',
    isThere: importable('datamodel_code_generator'),
    generate: (openapi) => ({
      command: [
        ...['python3', '-m', 'datamodel_code_generator', '--input', openapi, '--input-file-type', 'openapi'],
        ...['--output', 'models.py', '--output-model-type', 'pydantic_v2.BaseModel', '--disable-warnings'],
        ...['--openapi-scopes', 'schemas', 'paths', '--use-operation-id-as-name', '--formatters', 'builtin'],
      ],
      env: PYTHON,
    }),
    generated: { in: 'models.py', of: 'schemas', pattern: (name) => new RegExp(`^class ${name}\\b`, 'm') },
    ...python(`import sys, urllib.request
from models import ListAssetsResponse

request = urllib.request.Request(sys.argv[1] + "/assets", headers={"Authorization": "Bearer " + sys.argv[2]})
with urllib.request.urlopen(request) as answer:
    page = ListAssetsResponse.model_validate_json(answer.read())
print(page.items[0].serialNumber)
`),
  },
  {
    name: 'oapi-codegen',
    isThere: exists(join(GO_MODULE, 'bin/oapi-codegen')),
    files: { 'program.go': GO_PROGRAM },
    generate: (openapi) => ({
      command: [
        ...[join(GO_MODULE, 'bin/oapi-codegen'), '-generate', 'types,client,skip-prune'],
        ...['-package', 'main', '-o', 'client.go', openapi],
      ],
    }),
    generated: {
      in: 'client.go',
      pattern: (id) => new RegExp(`\\) ${pascalCase(id)}(WithBody)?WithResponse\\(`),
    },
    build: (folder) => {
      const files = ['client.go', 'program.go'].map((name) => join(folder, name));
      return [
        { command: ['go', 'vet', ...files], cwd: GO_MODULE, env: GO },
        { command: ['go', 'build', '-o', join(folder, 'program'), ...files], cwd: GO_MODULE, env: GO },
      ];
    },
    run: { command: ['./program'] },
  },
];

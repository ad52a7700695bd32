/** The commands that publish a release. A person runs them, in the folder of the checkout. */
import { tagOf } from './version.ts';

const REGISTRY = 'REGISTRY';

interface Artefact {
  path: string;
  version: string;
}

const COMMANDS: readonly [kind: RegExp, toCommands: (artefact: Artefact) => string[]][] = [
  [/^device-monitoring-client-.*\.tgz$/, ({ path }) => [`npm publish --access public ${path}`]],
  [/\.(?:whl|tar\.gz)$/, ({ path }) => [`python3 -m twine upload ${path}`]],
  [/^device-monitoring-service-[\d.]+\.tgz$/, ({ path }) => [`helm push ${path} oci://${REGISTRY}/charts`]],
  [/-image\.tar$/, pushImage],
];

export function publishCommands(version: string, files: readonly string[], folder: string): string[] {
  const commands = files.flatMap((name) =>
    COMMANDS.filter(([kind]) => kind.test(name)).flatMap(([, toCommands]) =>
      toCommands({ path: `${folder}/${name}`, version }),
    ),
  );
  return [`git push origin main ${tagOf(version)}`, ...commands];
}

function pushImage({ path, version }: Artefact): string[] {
  const image = `device-monitoring-service:${version}`;
  return [
    `docker load --input ${path}`,
    `docker tag ${image} ${REGISTRY}/${image}`,
    `docker push ${REGISTRY}/${image}`,
  ];
}

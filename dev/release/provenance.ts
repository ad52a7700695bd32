/**
 * The provenance of a release: which commit, lock file and base images its files were built from, and where. It is a
 * statement of in-toto with the predicate of SLSA (https://slsa.dev/spec/v1.0/provenance). It carries no signature; a
 * forge signs one of its own.
 */

export interface Digested {
  name: string;
  sha256: string;
}

export interface Build {
  version: string;
  commit: string;
  /** The URI of the repository. */
  source: string;
  /** The URI of the machine, or of the workflow of a forge. */
  builder: string;
  lockFileSha256: string;
  baseImages: readonly Digested[];
  startedAt: Date;
  finishedAt: Date;
}

export const LOCAL_SOURCE = 'urn:device-monitoring-service';
export const LOCAL_BUILDER = 'urn:device-monitoring-service:local-build';

export const provenanceOf = (build: Build, artefacts: readonly Digested[]) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: artefacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'urn:device-monitoring-service:release-pack:v1',
      externalParameters: { version: build.version },
      resolvedDependencies: [
        { uri: build.source, digest: { gitCommit: build.commit } },
        { uri: 'package-lock.json', digest: { sha256: build.lockFileSha256 } },
        ...build.baseImages.map(({ name, sha256 }) => ({ uri: `docker://${name}`, digest: { sha256 } })),
      ],
    },
    runDetails: {
      builder: { id: build.builder },
      metadata: { startedOn: build.startedAt.toISOString(), finishedOn: build.finishedAt.toISOString() },
    },
  },
});

/** Base images of a Dockerfile, which it pins by digest. */
export const baseImagesOf = (dockerfile: string): Digested[] =>
  [...dockerfile.matchAll(/^FROM (\S+)@sha256:([0-9a-f]{64})/gm)].map(([, name = '', sha256 = '']) => ({
    name,
    sha256,
  }));

/** The lines of a file that `sha256sum --check` reads. */
export const checksumLines = (files: readonly Digested[]): string =>
  files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');

# One image for every process of the service; the command selects the process.
FROM node:24.20.0-trixie-slim@sha256:50c3b2f6988dfc307b86e5301d69611af31f4789bdf232863b07d3b02fe55ae0 AS base
WORKDIR /app
COPY package.json package-lock.json ./

FROM base AS build
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY client/src client/src
COPY workflows workflows
COPY activities activities
COPY migrations migrations
COPY docs docs
COPY *.md openapi.json ./
COPY client/README.md client/
COPY client/python/README.md client/python/
RUN npm run build

FROM base AS modules
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
RUN npm sbom --omit=dev --package-lock-only --sbom-format=cyclonedx > sbom.cdx.json

# Knows where packages of this version of PostgreSQL come from, and the key that they are signed with.
FROM postgres:18.6-trixie@sha256:5a5a84b19854a9ffaa54082c166ff4ec27473a361e496e5ea167f298f2da9722 AS postgres

FROM base
# pg_dump and pg_restore, for `backup` and `restore`.
COPY --from=postgres /usr/local/share/keyrings/postgres.gpg.asc /usr/local/share/keyrings/
COPY --from=postgres /etc/apt/sources.list.d/pgdg.list /etc/apt/sources.list.d/
RUN apt-get update \
  && apt-get install --yes --no-install-recommends postgresql-client-18 \
  && rm -rf /var/lib/apt/lists/*
# The command line as `dms`, and a folder for backups that the service may write to.
RUN printf '#!/bin/sh\nexec node /app/dist/src/bin/cli.js "$@"\n' > /usr/local/bin/dms && chmod 755 /usr/local/bin/dms \
  && install -d -o node -g node /backups
ENV NODE_ENV=production
COPY --from=modules /app/node_modules node_modules
# The packages of Node.js in the image; those of Debian are in /var/lib/dpkg.
COPY --from=modules /app/sbom.cdx.json ./
COPY --from=build /app/dist dist
USER node
EXPOSE 8080 9464 5683/udp
CMD ["node", "--max-semi-space-size=32", "dist/src/bin/api.js"]

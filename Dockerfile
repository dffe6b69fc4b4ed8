# Node runs the TypeScript sources as they are: there is nothing to build but the workflow bundle.
FROM node:24.21.0-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script (package.json "allowScripts").
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY worker ./worker
RUN node worker/write-bundle.ts /app/workflow-bundle.js
RUN mkdir /data && chown node:node /data

USER node
ENV ORION_DATA_DIR=/data ORION_WORKFLOW_BUNDLE=/app/workflow-bundle.js
VOLUME /data
CMD ["node", "src/gateway/main.ts"]

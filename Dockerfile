# One image, three commands: the server (default), `node worker/main.ts` and `node scripts/migrate.ts`.

FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY schema schema
COPY scripts scripts
COPY web web
COPY docs/extension.md docs/
RUN node scripts/build.ts

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-slim
ENV NODE_ENV=production
# In a container the loopback address is the container's own.
ENV HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY schema schema
COPY server server
COPY worker worker
COPY scripts scripts
# The brand, and the content that the doctor looks at.
COPY web/content web/content
COPY --from=build /app/web/dist web/dist
# Last, so that another commit makes none of the layers above anew.
ARG TIDEMARK_REVISION=unknown
ENV TIDEMARK_REVISION=$TIDEMARK_REVISION
USER node
EXPOSE 3000
CMD ["node", "server/main.ts"]

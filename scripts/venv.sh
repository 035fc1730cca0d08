# venv FOLDER PACKAGE…: packages of PyPI in a virtual environment, which is made when it is not
# there. To be sourced. By uv, which takes a tenth of pip's time; it is in the folder
# $LADDERBACK_UV, and comes there by pip (default: a folder of its own in FOLDER).
venv() {
  local uv=${LADDERBACK_UV:-$1/uv}
  if [ ! -x "$uv/bin/uv" ]; then
    python3 -m venv "$uv"
    "$uv/bin/pip" install -q uv==0.13.9
  fi
  [ -x "$1/bin/python" ] || "$uv/bin/uv" venv --quiet --no-managed-python --allow-existing "$1"
  "$uv/bin/uv" pip install --quiet --python "$1/bin/python" "${@:2}"
}

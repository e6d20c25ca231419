# The image of all Waypool services; its steps are those of the README.
FROM python:3.13-slim
WORKDIR /srv/waypool
COPY requirements.lock ./
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN .venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation .
RUN useradd --system --create-home waypool
USER waypool
ENV PATH=/srv/waypool/.venv/bin:$PATH WAYPOOL_HOST=0.0.0.0
EXPOSE 8080
CMD ["waypool", "serve"]

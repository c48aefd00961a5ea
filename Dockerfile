# Spindle and its command, without notebooks: docker build -t spindle . && docker run --rm spindle run hp3000
# A folder of your own: docker run --rm -v "$PWD:/work" spindle replay trace.csv --drive hp7933
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir "/src[traces,lab,plots]" && rm -rf /src && useradd --create-home spindle
USER spindle
WORKDIR /work
ENTRYPOINT ["spindle"]
CMD ["--help"]

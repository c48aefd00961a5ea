# A sweep on a cluster that asks for certificates: one authority, and one certificate for all.
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=authority -keyout ca.key -out ca.pem 2> log
openssl req -newkey rsa:2048 -nodes -subj /CN=spindle -keyout key.pem -out asked.pem 2>> log
openssl x509 -req -in asked.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out cert.pem 2>> log
mkdir dask
echo 'distributed: {comm: {tls: {ca-file: ca.pem, client: {cert: cert.pem, key: key.pem}}}}' > dask/spindle.yaml
shown="--no-dashboard --tls-ca-file ca.pem --tls-cert cert.pem --tls-key key.pem"
dask scheduler --protocol tls --port 8786 $shown >> log 2>&1 &
dask worker tls://localhost:8786 --nthreads 1 --no-nanny $shown >> log 2>&1 &
DASK_CONFIG=dask spindle sweep sata_ncq --set requests=100 --seeds 2 --cluster tls://localhost:8786 --out far.csv
kill %1 %2

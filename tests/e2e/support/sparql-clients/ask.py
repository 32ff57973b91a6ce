# Asks a SPARQL endpoint by a client of Python: `ask.py CLIENT URL`, with queries by their names as JSON on standard input.
# Prints the answers by the same names: SPARQL Results JSON, or N-Triples of a graph.
import json
import sys
from io import BytesIO

from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.query import Result
from SPARQLWrapper import POST, POSTDIRECTLY, URLENCODED, SPARQLWrapper


def plain(result):
    if result.type == "CONSTRUCT":
        return result.graph.serialize(format="nt")
    return json.loads(result.serialize(format="json"))


def by_wrapper(query, posting=None):
    wrapper = SPARQLWrapper(url)
    wrapper.setQuery(query)
    if posting:
        wrapper.setMethod(POST)
        wrapper.setRequestMethod(posting)
    response = wrapper.query().response
    content_type = response.headers["Content-Type"].split(";")[0]
    return plain(Result.parse(BytesIO(response.read()), content_type=content_type))


CLIENTS = {
    "SPARQLWrapper": by_wrapper,
    "SPARQLWrapper posting forms": lambda query: by_wrapper(query, URLENCODED),
    "SPARQLWrapper posting queries": lambda query: by_wrapper(query, POSTDIRECTLY),
    "SPARQLStore": lambda query: plain(Graph(SPARQLStore(url)).query(query)),
    "SERVICE": lambda query: plain(Graph().query(query)),
}

_, client, url = sys.argv
queries = json.load(sys.stdin)
print(json.dumps({name: CLIENTS[client](query) for name, query in queries.items()}))

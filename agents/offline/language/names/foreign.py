"""Words of Spanish, Portuguese, French, Italian, German and Dutch that are common in names of columns and tables, with
their English meanings. They are folded (without accents), and singular as English plurals are."""

from __future__ import annotations

_MEANINGS = {
    "active": "activo activa ativo ativa actif attivo attiva aktiv actief",
    "address": "direccion adresse endereco indirizzo anschrift adres",
    "area": "superficie flaeche flache oppervlakte",
    "building": "edificio edifice batiment gebaude gebaeude gebouw",
    "capacity": "capacidad capacidade capacite capacita kapazitat kapazitaet capaciteit",
    "category": "categoria categorie kategorie",
    "class": "clase classe klasse",
    "code": "codigo codice kode",
    "cost": "costo coste cout kosten",
    "count": "cantidad quantidade anzahl aantal",
    "date": "fecha fec datum",
    "depth": "profundidad profundidade profondeur profondita tiefe diepte",
    "district": "distrito distretto bezirk",
    "height": "altura hauteur altezza hohe hoehe hoogte",
    "inhabitant": "habitante habitant abitante abitanti einwohner inwoner",
    "installed": "instalado instalada installe installato",
    "length": "longueur lunghezza comprimento laenge lange lengte",
    "level": "nivel niveau livello",
    "material": "materiau materiale materiaal",
    "month": "mes mois monat maand mese",
    "municipality": "municipio commune comune gemeinde gemeente",
    "name": "naam namn navn nom nombre nome nazwa naziv nimi",
    "neighbourhood": "barrio bairro quartier quartiere stadtteil ortsteil wijk buurt",
    "number": "numero nummer",
    "operator": "operador operatore exploitant betreiber",
    "owner": "propietario propietaria proprietario proprietaire eigentumer eigentuemer eigenaar",
    "park": "parque parc parco",
    "population": "poblacion populacao popolazione bevolkerung bevoelkerung bevolking",
    "price": "precio preco prix prezzo preis prijs",
    "reason": "motivo motif",
    "road": "carretera",
    "route": "ruta",
    "school": "escuela escola ecole scuola schule",
    "station": "estacion estacione estacao stazione",
    "status": "estado estatus etat statut stato zustand",
    "street": "calle rue rua strada strasse straat",
    "tree": "arbol arbole arvore arbre albero baum",
    "type": "tipo tipologia",
    "use": "uso nutzung gebruik utilizzo",
    "value": "valor valeur valore wert waarde",
    "volume": "volumen volumene",
    "weight": "peso poid poids gewicht",
    "width": "ancho anchura largeur larghezza breite breedte",
    "year": "ano anio annee anno jahr jaar",
}  # fmt: skip
MEANINGS: dict[str, tuple[str, ...]] = {
    foreign: (english,) for english, words in _MEANINGS.items() for foreign in words.split()
}

// Shows what an address names; without one, the largest topic and the first document.
address.begin((place, go) => {
  if (place.topic !== undefined) {
    topics.open(place.topic, go);
    return;
  }
  if (!Object.keys(place).length) topics.select(0);
  documents.open(place, go);
});

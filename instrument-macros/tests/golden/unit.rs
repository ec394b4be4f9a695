#[inference_stage("rerank", custom, buckets = [0.001, 0.01, 1])]
fn rerank(items: &mut [Item]) {
    items.sort();
}

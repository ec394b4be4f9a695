#[inference_stage("worker")]
async fn worker(queue: Queue) -> ! {
    loop {
        queue.step().await;
    }
}

#[inference_stage("worker")]
fn spin(queue: Queue) -> ! {
    loop {
        queue.step();
    }
}
